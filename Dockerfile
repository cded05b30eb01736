# Compiled contracts are in the image, so that it needs no Rust toolchain.
FROM rust:1.95-slim-trixie AS build
WORKDIR /src
RUN rustup target add wasm32-unknown-unknown
COPY . .
RUN cargo build --release --locked \
    && target/release/estimator compile --contracts estimator-contracts --out /contracts

FROM debian:trixie-slim
COPY --from=build /src/target/release/estimator /usr/local/bin/estimator
COPY --from=build /contracts /usr/share/estimator/contracts
RUN useradd --uid 65532 --create-home --home-dir /data estimator
USER 65532:65532
WORKDIR /data
VOLUME ["/data"]
ENTRYPOINT ["estimator"]
CMD ["nightly", "--contracts", "/usr/share/estimator/contracts"]
