"""What every app builds on: ids, errors, time, JSON, rows, sealing, files, addresses. It imports no other code of
ours.
"""
