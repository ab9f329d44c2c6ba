//go:build race

package storetest_test

const raced = true
