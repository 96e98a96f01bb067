"""PIX at any bank that follows Banco Central's API Pix, version 2.9 (github.com/bacen/pix-api)."""
