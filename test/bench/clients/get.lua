-- GET the URL on the command line with the origin of a page.
wrk.headers["Origin"] = "https://example.com"
wrk.headers["X-PC-Captcha-Version"] = "1"
