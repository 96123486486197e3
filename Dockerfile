# The same images as `npm run package` makes without a daemon: Node, a bundled program and the protocol, and nothing else. The last one is the
# function's; `--target=cli` is that of the operators' program.
FROM --platform=$BUILDPLATFORM node:24-bookworm-slim AS build
WORKDIR /source
COPY package.json package-lock.json tsconfig.json tsconfig.build.json ./
RUN npm ci --ignore-scripts
COPY src src
COPY cli cli
COPY proto proto
COPY scripts scripts
RUN npm run bundle && chmod -R a+rX,go-w build

FROM gcr.io/distroless/nodejs24-debian12:nonroot AS base
ARG VERSION
ARG SOURCE
ARG REVISION
LABEL org.opencontainers.image.version=$VERSION \
      org.opencontainers.image.licenses=Apache-2.0 \
      org.opencontainers.image.source=$SOURCE \
      org.opencontainers.image.revision=$REVISION
ENV NODE_ENV=production
WORKDIR /function
USER 65532:65532
ENTRYPOINT ["/nodejs/bin/node", "/function/dist/main.cjs"]

FROM base AS cli
COPY --from=build /source/build/cli ./

FROM base AS function
COPY --from=build /source/build/function ./
EXPOSE 9443/tcp 8080/tcp
