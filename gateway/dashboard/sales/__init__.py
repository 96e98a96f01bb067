"""Sales as a picture: by day, method and currency, with acceptance, declines and disputes."""
