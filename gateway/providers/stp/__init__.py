"""SPEI at STP (Sistema de Transferencias y Pagos), a participant that lets companies send and receive by API."""
