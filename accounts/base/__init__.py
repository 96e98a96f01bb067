"""What every app stands on: ids, errors, time, JSON, rows, sealing, files, addresses. It imports nothing of ours."""
