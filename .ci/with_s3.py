"""Runs a command beside an S3 server on loopback, with a bucket for it that the environment names."""

import os
import subprocess
import sys

import boto3
from moto.server import ThreadedMotoServer

BUCKET = "burn-did"

server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
host, port = server.get_host_and_port()
settings = {
    "AWS_ENDPOINT_URL": f"http://{host}:{port}",
    "AWS_ACCESS_KEY_ID": "nobody",
    "AWS_SECRET_ACCESS_KEY": "nothing",
    "AWS_REGION": "us-east-1",
    "AWS_DEFAULT_REGION": "us-east-1",
    "BURN_DID_S3": f"s3://{BUCKET}",
}
os.environ.update(settings)
boto3.client("s3").create_bucket(Bucket=BUCKET)
code = subprocess.run(sys.argv[1:]).returncode
server.stop()
sys.exit(code)
