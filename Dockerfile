# spawnfix without rights: docker run --rm -v "$PWD":/repo spawnfix check /repo
FROM python:3.12-slim AS build
WORKDIR /src
COPY . .
RUN pip wheel --no-cache-dir --wheel-dir /wheels .

FROM python:3.12-slim
RUN apt-get update && apt-get install --yes --no-install-recommends git && rm -rf /var/lib/apt/lists/*
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    pip install --no-cache-dir --no-index --find-links=/wheels spawnfix
RUN useradd --create-home spawnfix
USER spawnfix
ENV SPAWNFIX_CACHE_DIR=/tmp/spawnfix-cache
WORKDIR /repo
ENTRYPOINT ["spawnfix"]
CMD ["--help"]
