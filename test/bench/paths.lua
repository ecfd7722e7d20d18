-- GET of one path after another, from the file that PATHS names, with the API key in KEY where there is one.
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
