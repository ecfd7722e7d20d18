# syntax=docker/dockerfile:1

# Base images are pinned by digest; docs/how-to/install.md describes how to update the digests.
ARG BUILD_IMAGE=node:20-bookworm-slim@sha256:2cf067cfed83d5ea958367df9f966191a942351a2df77d6f0193e162b5febfc0
ARG RUNTIME_IMAGE=gcr.io/distroless/cc-debian12:nonroot@sha256:9dac0a79194e45a7da0158a9c6da57b217585af0786db3845d1f0ec1a0dd182f

# Builds the executable with the pinned version of Bun, which npm installs.
FROM ${BUILD_IMAGE} AS build
WORKDIR /src
COPY package.json bun.lock bunfig.toml tsconfig.json ./
COPY CHANGELOG.md SECURITY.md LICENSE ./
COPY migrations migrations
COPY packages packages
COPY static static
COPY build build
COPY docs docs
COPY deploy deploy
COPY src src
# The build caches the packages, so that later builds download only changed packages.
RUN --mount=type=cache,target=/src/node_modules,id=postern-packages,sharing=locked \
    npx --yes bun@1.4.5 install --frozen-lockfile && npx --yes bun@1.4.5 build/build.ts && install -d -m 0700 /data

# Contains glibc, libgcc, libstdc++, and CA certificates. There is no shell and no package manager.
FROM ${RUNTIME_IMAGE}
LABEL org.opencontainers.image.title="Postern" \
      org.opencontainers.image.description="A self-hosted CAPTCHA server" \
      org.opencontainers.image.licenses="MIT"
COPY --from=build --chmod=0755 /src/dist/postern /usr/local/bin/postern
# A new volume gets this folder's owner and mode.
COPY --from=build --chown=65532:65532 --chmod=0700 /data /data
# The server writes only to /data. Native code that hashes passwords is unpacked into TMPDIR.
ENV POSTERN_HOST=0.0.0.0 POSTERN_DATA_DIR=/data TMPDIR=/data
VOLUME /data
EXPOSE 8080
USER 65532:65532
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s CMD ["/usr/local/bin/postern", "healthcheck"]
ENTRYPOINT ["/usr/local/bin/postern"]
CMD ["serve"]
