package blob

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// s3 keeps objects in a bucket of an S3-compatible server.
type s3 struct {
	client *minio.Client
	bucket string
	prefix string // "" or ends in /
	idle   *http.Transport
}

// openS3 opens s3://bucket/prefix?endpoint=URL&region=NAME. Credentials are those of
// the AWS variables of the environment, of its credentials file, or of the machine's role.
func openS3(ctx context.Context, where string) (*s3, error) {
	u, err := url.Parse(where)
	if err != nil || u.Host == "" {
		return nil, ErrURL
	}
	q := u.Query()
	endpoint, err := url.Parse(cmp.Or(q.Get("endpoint"), os.Getenv("AWS_ENDPOINT_URL_S3"), os.Getenv("AWS_ENDPOINT_URL"), "https://s3.amazonaws.com"))
	if err != nil || endpoint.Host == "" {
		return nil, fmt.Errorf("open blob store: endpoint: %w", ErrURL)
	}
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 32, IdleConnTimeout: time.Minute,
		TLSHandshakeTimeout: 10 * time.Second, ResponseHeaderTimeout: 30 * time.Second,
	}
	client, err := minio.New(endpoint.Host, &minio.Options{
		Creds: credentials.NewChainCredentials([]credentials.Provider{
			&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}, &credentials.IAM{Client: &http.Client{Transport: transport}},
		}),
		Secure: endpoint.Scheme == "https", Transport: transport, MaxRetries: 3,
		Region: cmp.Or(q.Get("region"), os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION"), "us-east-1"),
	})
	if err != nil {
		return nil, fmt.Errorf("open blob store: %w", err)
	}
	s := &s3{client: client, bucket: u.Host, prefix: strings.Trim(u.Path, "/"), idle: transport}
	if s.prefix != "" {
		s.prefix += "/"
	}
	ok, err := client.BucketExists(ctx, s.bucket)
	if err == nil && !ok {
		err = fmt.Errorf("no bucket %q", s.bucket)
	}
	if err != nil {
		return nil, fmt.Errorf("open blob store: %s %w: %w", endpoint.Host, ErrUnavailable, err)
	}
	return s, nil
}

func (s *s3) Close() error {
	s.idle.CloseIdleConnections()
	return nil
}

// Put sends the MD5 of the content, which every server checks; newer checksums not all
// servers know.
func (s *s3) Put(ctx context.Context, name string, data []byte) error {
	_, err := s.client.PutObject(ctx, s.bucket, s.prefix+name, bytes.NewReader(data), int64(len(data)), minio.PutObjectOptions{
		ContentType: "application/octet-stream", SendContentMd5: true, DisableMultipart: true,
	})
	return err
}

func (s *s3) Get(ctx context.Context, name string) ([]byte, error) {
	o, err := s.client.GetObject(ctx, s.bucket, s.prefix+name, minio.GetObjectOptions{})
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(o)
	if code := minio.ToErrorResponse(err).Code; code == "NoSuchKey" || code == "NotFound" {
		err = fmt.Errorf("object %s: %w", name, fs.ErrNotExist)
	}
	return data, errors.Join(err, o.Close())
}

func (s *s3) Delete(ctx context.Context, name string) error {
	return s.client.RemoveObject(ctx, s.bucket, s.prefix+name, minio.RemoveObjectOptions{})
}

func (s *s3) List(ctx context.Context, prefix string) iter.Seq2[Object, error] {
	return func(yield func(Object, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		for o := range s.client.ListObjectsIter(ctx, s.bucket, minio.ListObjectsOptions{Prefix: s.prefix + prefix, Recursive: true}) {
			if !yield(Object{strings.TrimPrefix(o.Key, s.prefix), o.Size, o.LastModified}, o.Err) || o.Err != nil {
				return
			}
		}
	}
}
