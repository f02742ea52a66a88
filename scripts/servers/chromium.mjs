import { delimiter, join } from "node:path";
import { debianPackages, onPath, script } from "./debian.mjs";

/** The browser without a window, and what it needs besides glibc, of Debian 12. */
const packages = [
  ...["chromium-headless-shell", "chromium-common", "fontconfig-config", "fonts-dejavu-core"],
  ...["libasound2", "libasound2-data", "libasyncns0", "libatk1.0-0", "libatspi2.0-0", "libblkid1", "libbrotli1"],
  ...["libbsd0", "libbz2-1.0", "libcap2", "libdav1d6", "libdbus-1-3", "libdouble-conversion3", "libdrm2", "libexpat1"],
  ...["libffi8", "libflac12", "libfontconfig1", "libfreetype6", "libgbm1", "libgcrypt20", "libglib2.0-0"],
  ...["libgpg-error0", "libgraphite2-3", "libharfbuzz-subset0", "libharfbuzz0b", "libjpeg62-turbo", "liblcms2-2"],
  ...["liblz4-1", "liblzma5", "libmd0", "libminizip1", "libmount1", "libmp3lame0", "libmpg123-0", "libnspr4"],
  ...["libnss3", "libogg0", "libopenh264-7", "libopenjp2-7", "libopus0", "libpcre2-8-0", "libpng16-16", "libpulse0"],
  ...["libselinux1", "libsndfile1", "libsqlite3-0", "libsystemd0", "libudev1", "libuuid1", "libvorbis0a"],
  ...["libvorbisenc2", "libwayland-server0", "libx11-6", "libx11-data", "libxau6", "libxcb-randr0", "libxcb1"],
  ...["libxcomposite1", "libxdamage1", "libxdmcp6", "libxext6", "libxfixes3", "libxi6", "libxkbcommon0"],
  ...["libxnvctrl0", "libxrandr2", "libxrender1", "libzstd1", "xkb-data", "zlib1g"],
];

/**
 * The path of Chromium: of this machine, else of Debian's packages, unpacked into the cache.
 * @returns {Promise<{chromium: string}>}
 */
export async function chromiumBrowser() {
  const found = (await Promise.all(["chromium-headless-shell", "chromium"].map(onPath))).find(Boolean);
  if (found !== undefined) return { chromium: found };
  const { folder, root, libraries } = await debianPackages("chromium", packages);
  const chromium = join(folder, "chromium");
  const browser = join(root, "usr/lib/chromium/chromium-headless-shell");
  const [ownLibraries] = libraries.split(delimiter);
  const all = [libraries, join(ownLibraries, "pulseaudio")].join(delimiter);
  await script(chromium, `FONTCONFIG_SYSROOT='${root}' LD_LIBRARY_PATH='${all}' exec '${browser}' "$@"`);
  return { chromium };
}
