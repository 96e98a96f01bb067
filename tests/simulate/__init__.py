"""How many hosts so many payments a second need: computed from what one charge was measured to cost."""
