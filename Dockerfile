# syntax=docker/dockerfile:1

# Builds the executable with the pinned Bun, fetched as on any machine: through npm.
FROM node:20-bookworm-slim AS build
WORKDIR /src
COPY package.json bun.lock ./
RUN npx --yes bun@1.4.5 install --frozen-lockfile
COPY . .
RUN npx --yes bun@1.4.5 build.ts && mkdir /data

# Only what the executable needs: glibc and a folder for the data. No shell, no package manager, no curl.
FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=build --chown=65532:65532 /src/dist/postern /usr/local/bin/postern
COPY --from=build --chown=65532:65532 /data /data
# The library that hashes passwords is unpacked into the temporary folder when one is set.
ENV POSTERN_HOST=0.0.0.0 POSTERN_DATA_DIR=/data TMPDIR=/data
VOLUME /data
EXPOSE 8080
# Nothing is written outside of /data: run it with --read-only.
USER 65532:65532
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s CMD ["/usr/local/bin/postern", "healthcheck"]
ENTRYPOINT ["/usr/local/bin/postern"]
CMD ["serve"]
