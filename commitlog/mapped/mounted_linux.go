package mapped

import (
	"encoding/binary"
	"hash/crc32"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// bootID is different after every start of the machine.
var bootID = sync.OnceValue(func() []byte {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return nil
	}
	return b
})

// mounted needs the kernel to count mounts without using a number twice (6.8).
func mounted(name string) uint32 {
	boot := bootID()
	var st unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, name, 0, unix.STATX_MNT_ID_UNIQUE, &st)
	if err != nil || st.Mask&unix.STATX_MNT_ID_UNIQUE == 0 || len(boot) == 0 {
		return 0
	}
	b := binary.BigEndian.AppendUint64(nil, st.Mnt_id)
	return max(crc32.ChecksumIEEE(append(b, boot...)), 1)
}
