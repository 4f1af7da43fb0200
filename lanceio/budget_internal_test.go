package lanceio

import "testing"

// TestBudgetShares: scans that run at once hold the budget and a floor each, and get it back.
func TestBudgetShares(t *testing.T) {
	const bytes, scans = 100 << 20, 500
	b := NewBudget(bytes)
	if got := b.take(scanBytes); got != scanBytes {
		t.Errorf("a lone scan gets %d, want %d", got, scanBytes)
	}
	shares := []int64{scanBytes}
	sum := int64(scanBytes)
	for range scans {
		got := b.take(scanBytes)
		if got < scanFloor || got > shares[len(shares)-1] {
			t.Fatalf("after %d scans one gets %d, the one before %d", len(shares), got, shares[len(shares)-1])
		}
		shares = append(shares, got)
		sum += got
	}
	if sum > bytes+scans*scanFloor {
		t.Errorf("%d scans hold %d bytes, may hold %d and %d each", scans, sum, bytes, scanFloor)
	}
	for _, s := range shares {
		b.give(s)
	}
	if got := b.take(scanBytes); got != scanBytes {
		t.Errorf("a scan after all have ended gets %d, want %d", got, scanBytes)
	}
}
