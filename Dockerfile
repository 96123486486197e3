# The same image as `npm run package` makes without a daemon: Node, the bundled program and the protocol, and nothing else.
FROM --platform=$BUILDPLATFORM node:24-bookworm-slim AS build
WORKDIR /source
COPY package.json package-lock.json tsconfig.json tsconfig.build.json ./
RUN npm ci --ignore-scripts
COPY src src
COPY proto proto
COPY scripts scripts
RUN npm run bundle && chmod -R a+rX,go-w build/function

FROM gcr.io/distroless/nodejs24-debian12:nonroot
ARG VERSION
ARG SOURCE
ARG REVISION
LABEL org.opencontainers.image.version=$VERSION \
      org.opencontainers.image.licenses=Apache-2.0 \
      org.opencontainers.image.source=$SOURCE \
      org.opencontainers.image.revision=$REVISION
ENV NODE_ENV=production
WORKDIR /function
COPY --from=build /source/build/function ./
USER 65532:65532
EXPOSE 9443/tcp 8080/tcp
ENTRYPOINT ["/nodejs/bin/node", "/function/dist/main.cjs"]
