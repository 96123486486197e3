# The runtime image: Node, what the server needs at run time, and nothing else.
FROM node:22-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json tsconfig.json tsconfig.build.json ./
RUN npm ci --ignore-scripts
COPY src src
RUN npm run build && npm prune --omit=dev --ignore-scripts

FROM gcr.io/distroless/nodejs22-debian12:nonroot
WORKDIR /app
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json ./
COPY proto proto
USER 65532:65532
EXPOSE 9443 8080
ENTRYPOINT ["/nodejs/bin/node", "dist/main.js"]
