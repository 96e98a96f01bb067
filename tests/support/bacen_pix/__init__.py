"""A fake bank with API Pix, and the published file that its answers are made of."""
