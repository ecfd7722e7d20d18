-- POST the lines of the file PAYLOADS again and again, with the API key KEY.
local payloads = {}
for line in io.lines(os.getenv("PAYLOADS")) do payloads[#payloads + 1] = line end
local at = 0
wrk.method = "POST"
wrk.headers["Content-Type"] = "text/plain"
wrk.headers["X-API-Key"] = os.getenv("KEY")

function request()
  at = at % #payloads + 1
  return wrk.format(nil, nil, nil, payloads[at])
end
