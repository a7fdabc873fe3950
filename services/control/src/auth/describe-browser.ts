/** The longest user agent that is read. */
const maxLength = 512

/** The first that is found counts: most browsers also name those that they descend from. */
const programs: ReadonlyArray<readonly [pattern: RegExp, name: string]> = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|Opera|OPiOS)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Headless)?(?:Chrome|Chromium|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
  [/^curl\//, 'curl'],
  [/^python|\baiohttp\//i, 'Python'],
  [/^node\b|^undici\b|^axios\//i, 'Node.js']
]

const systems: ReadonlyArray<readonly [pattern: RegExp, name: string]> = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bLinux\b/, 'Linux']
]

/**
 * Names the browser of a request so that its owner recognises it, such as `Firefox on Linux`. The words are ours: no text of
 * the header is returned.
 *
 * @param userAgent `User-Agent`
 * @returns null if neither program nor system is known
 */
export function describeBrowser(userAgent: string | undefined): string | null {
  const text = userAgent?.slice(0, maxLength) ?? ''
  const program = nameIn(programs, text)
  const system = nameIn(systems, text)
  if (program !== null && system !== null) return `${program} on ${system}`
  return program ?? system
}

function nameIn(names: typeof programs, text: string): string | null {
  return names.find(([pattern]) => pattern.test(text))?.[1] ?? null
}
