"""Stores a file as an object. usage: put.py ENDPOINT BUCKET/KEY FILE"""
import sys

from pyarrow import fs

endpoint, key, file = sys.argv[1:]
s3 = fs.S3FileSystem(endpoint_override=endpoint, region="us-east-1")
with s3.open_output_stream(key) as out, open(file, "rb") as f:
    out.write(f.read())
