-- POST an invalid payload of typical size.
wrk.method = "POST"
wrk.headers["Content-Type"] = "text/plain"
wrk.headers["X-API-Key"] = os.getenv("KEY")
wrk.body = string.rep("garbage.", 48)
