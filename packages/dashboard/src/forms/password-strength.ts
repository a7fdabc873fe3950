/** `short`: the API refuses it. The others say how long an attacker would need. */
export type Strength = 'short' | 'weak' | 'fair' | 'strong'

/** Bits of guessing. Attackers of stolen hashes try about 2^36 passwords in minutes, and 2^60 in years. */
const fairBits = 36
const strongBits = 60

/** Sizes of the alphabets that attackers try. */
const alphabets: ReadonlyArray<readonly [RegExp, number]> = [
  [/[a-z]/, 26],
  [/[A-Z]/, 26],
  [/[0-9]/, 10],
  [/[^a-zA-Z0-9\s]/, 33],
  [/\s/, 1]
]

/** Words that are in many passwords. They count as one character each. */
const commonWords = /password|passwort|qwert[yz]|asdf|letmein|welcome|admin|iloveyou|tollgate|gateway/g

/**
 * A rough estimate from length and variety: repeated characters and runs such as `abc` or `321` add nothing. It is
 * generous: the API also knows common passwords, and refuses them.
 */
export function strengthOf(password: string, minLength: number): Strength {
  if ([...password].length < minLength) return 'short'
  const bits = countUnguessable(password) * Math.log2(alphabetOf(password))
  return bits < fairBits ? 'weak' : bits < strongBits ? 'fair' : 'strong'
}

const alphabetOf = (password: string): number =>
  alphabets.reduce((sum, [pattern, size]) => (pattern.test(password) ? sum + size : sum), 0)

/** Counts characters that do not follow from the ones before. */
function countUnguessable(password: string): number {
  const codes = [...password.toLowerCase().replaceAll(commonWords, '.')].map((one) => one.codePointAt(0) ?? 0)
  const isNew = (code: number, at: number) => Math.abs(code - (codes[at - 1] ?? -9)) > 1
  const isPattern = new Set(codes).size * 3 <= codes.length
  return codes.filter(isNew).length / (isPattern ? 2 : 1)
}
