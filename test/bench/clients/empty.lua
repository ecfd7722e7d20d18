-- POST without a body, with the origin of a page.
wrk.method = "POST"
wrk.headers["Origin"] = "https://example.com"
