/** Characters of a user agent that are read. */
const maxLength = 512

/** The first match counts: most browsers also name the browsers they descend from. */
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
 * Names a browser so that its user recognises it, such as `Firefox on Linux`. The name contains only our words, never text
 * from the header.
 *
 * @param userAgent `User-Agent`
 * @returns null if program and system are both unknown
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
