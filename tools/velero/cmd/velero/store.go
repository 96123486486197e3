package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"github.com/sirupsen/logrus"
	"github.com/vmware-tanzu/velero/pkg/plugin/framework"
)

// serveStore is a plugin of Velero: an object store in a folder.
func serveStore() {
	newStore := func(logrus.FieldLogger) (any, error) { return &folder{}, nil }
	framework.NewServer().RegisterObjectStore("example.org/files", newStore).Serve()
}

// folder keeps each bucket as a folder below its root, and each object as a file.
type folder struct{ root string }

func (f *folder) Init(config map[string]string) error {
	f.root = config["root"]
	if f.root == "" {
		return errors.New(`cannot keep objects: the location's config has no "root"`)
	}
	return nil
}

func (f *folder) path(bucket, key string) string {
	return filepath.Join(f.root, bucket, filepath.FromSlash(key))
}

// PutObject renames a finished file, so that no reader sees half an object.
func (f *folder) PutObject(bucket, key string, body io.Reader) error {
	path := f.path(bucket, key)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	file, err := os.CreateTemp(f.root, ".object-*")
	if err != nil {
		return err
	}
	_, err = io.Copy(file, body)
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return os.Rename(file.Name(), path)
}

func (f *folder) ObjectExists(bucket, key string) (bool, error) {
	_, err := os.Stat(f.path(bucket, key))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

func (f *folder) GetObject(bucket, key string) (io.ReadCloser, error) {
	return os.Open(f.path(bucket, key))
}

func (f *folder) ListObjects(bucket, prefix string) ([]string, error) {
	top := f.path(bucket, "")
	keys := []string{}
	err := filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || entry.IsDir() {
			return err
		}
		key, err := filepath.Rel(top, path)
		if key = filepath.ToSlash(key); strings.HasPrefix(key, prefix) {
			keys = append(keys, key)
		}
		return err
	})
	return keys, err
}

func (f *folder) ListCommonPrefixes(bucket, prefix, delimiter string) ([]string, error) {
	keys, err := f.ListObjects(bucket, prefix)
	found := map[string]bool{}
	for _, key := range keys {
		if end := strings.Index(key[len(prefix):], delimiter); end >= 0 {
			found[key[:len(prefix)+end+len(delimiter)]] = true
		}
	}
	prefixes := make([]string, 0, len(found))
	for each := range found {
		prefixes = append(prefixes, each)
	}
	sort.Strings(prefixes)
	return prefixes, err
}

func (f *folder) DeleteObject(bucket, key string) error {
	return os.Remove(f.path(bucket, key))
}

func (f *folder) CreateSignedURL(bucket, key string, _ time.Duration) (string, error) {
	return "file://" + f.path(bucket, key), nil
}
