"""Tables in ranges of their ids, which begin with a time: what is old goes as whole ranges, and no row is deleted.

The ranges of a table have no gaps. The first has no beginning and the last no end, so a row is never refused for its
id: not by a wrong clock, not in an old import, and not where nobody has made ranges for weeks.
"""
