const maxThresholds = 10

/** Reads percents such as `50, 80, 100`. Empty: no thresholds. */
export function readThresholds(text: string): { readonly value: number[]; readonly problem: string | null } {
  const parts = text.split(/[\s,;%]+/).filter((part) => part !== '')
  const percents = [...new Set(parts.map(Number))].sort((one, other) => one - other)
  if (percents.some((percent) => !Number.isInteger(percent) || percent < 1 || percent > 100)) {
    return { value: [], problem: 'Enter whole numbers from 1 to 100, separated by commas, or leave the field empty.' }
  }
  return percents.length > maxThresholds
    ? { value: [], problem: `Enter at most ${maxThresholds} numbers.` }
    : { value: percents, problem: null }
}
