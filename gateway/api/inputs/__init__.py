"""What requests may say: the models that judge their bodies. The dashboard judges its forms by them, too."""
