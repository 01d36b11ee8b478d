# The image of a release: the program of its archives and nothing else; the base has
# certificates, time zones and a user without rights. goreleaser lays the programs of the
# platforms beside each other, in folders like linux/amd64.
ARG BASE=gcr.io/distroless/static-debian12:nonroot
FROM ${BASE}
ARG TARGETPLATFORM
COPY ${TARGETPLATFORM}/precis /usr/bin/precis
ENTRYPOINT ["/usr/bin/precis"]
