-- GET the paths in the file PATHS in turn, with the API key KEY if it is set.
local paths = {}
for path in io.lines(os.getenv("PATHS")) do paths[#paths + 1] = path end
local at = 0

wrk.headers["Origin"] = "https://example.com"
local key = os.getenv("KEY")
if key and key ~= "" then wrk.headers["X-API-Key"] = key end

function request()
  at = at % #paths + 1
  return wrk.format("GET", paths[at])
end
