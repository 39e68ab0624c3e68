// Sends one trace with attributes of every type through an exporter of the OpenTelemetry SDK for Go, and prints its ids.
//
//	go-exporter <http|grpc> <host:port>
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

func exporter(ctx context.Context, protocol, address string) (*otlptrace.Exporter, error) {
	switch protocol {
	case "http":
		return otlptracehttp.New(ctx, otlptracehttp.WithEndpoint(address), otlptracehttp.WithInsecure())
	case "grpc":
		return otlptracegrpc.New(ctx, otlptracegrpc.WithEndpoint(address), otlptracegrpc.WithInsecure(),
			otlptracegrpc.WithCompressor("gzip"))
	}
	return nil, fmt.Errorf("no protocol %q", protocol)
}

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: go-exporter <http|grpc> <host:port>")
	}
	ctx := context.Background()
	made, err := exporter(ctx, os.Args[1], os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(made),
		sdktrace.WithResource(resource.NewSchemaless(attribute.String("service.name", "from-go"))),
	)
	ctx, root := provider.Tracer("interop").Start(ctx, "root", trace.WithSpanKind(trace.SpanKindServer))
	_, child := provider.Tracer("interop").Start(ctx, "child")
	child.SetAttributes(
		attribute.String("text", "naïve ☃ 𝄞"),
		attribute.String("large", strings.Repeat("x", 300_000)),
		attribute.Int64("big", 9_007_199_254_740_993),
		attribute.Float64("ratio", 0.25),
		attribute.Bool("flag", true),
		attribute.StringSlice("texts", []string{"a", ""}),
		attribute.Int64Slice("numbers", []int64{-1, 9_007_199_254_740_993}),
		attribute.Float64Slice("ratios", []float64{0.5, 1e300}),
		attribute.BoolSlice("flags", []bool{true, false}),
	)
	child.AddEvent("checkpoint", trace.WithAttributes(attribute.Int("step", 1)))
	child.RecordError(errors.New("boom"))
	child.SetStatus(codes.Error, "boom")
	child.End()
	root.End()
	if err := provider.Shutdown(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Println(child.SpanContext().SpanID())
}
