"""The foundation of all apps: ids, errors, time, JSON, rows, sealing, files, addresses. It imports no other code of
ours.
"""
