"""The time in which a company's production withdrawals wait, after our staff changed who may withdraw or from where."""
