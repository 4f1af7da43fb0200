"""Writes a table of 121 versions. usage: versions.py ENDPOINT"""
import os
import sys

import lance
import pyarrow as pa

options = {"aws_endpoint": sys.argv[1], "aws_region": "us-east-1", "allow_http": "true",
           "aws_access_key_id": os.environ["AWS_ACCESS_KEY_ID"], "aws_secret_access_key": os.environ["AWS_SECRET_ACCESS_KEY"]}
ds = lance.write_dataset(pa.table({"id": [1, 2, 3]}), "s3://lake/versions.lance", storage_options=options)
for i in range(120):
    ds.update_config({"step": str(i)})
