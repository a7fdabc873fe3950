/** The marks of a language: before the decimals, and between groups of three digits. */
export interface NumberMarks {
  readonly decimal: string
  readonly group: string
}

export function marksOf(locale: readonly string[] | undefined): NumberMarks {
  const parts = new Intl.NumberFormat(locale === undefined ? undefined : [...locale]).formatToParts(11_111.1)
  const mark = (type: string) => parts.find((part) => part.type === type)?.value ?? ''
  return { decimal: mark('decimal'), group: mark('group') }
}

/** Groups of three digits with the same mark between them, and maybe decimals after another mark. */
const grouped = /^[1-9]\d{0,2}([.,])\d{3}(?:\1\d{3})*(?:(?!\1)[.,]\d*)?$/
/** A single mark, which stands before the decimals. */
const plain = /^(\d*)([.,]?)(\d*)$/

/**
 * Reads a number as it was meant: people write `7,5` where the language of their browser has `7.5`, and a budget ten times as high
 * would be worse than a question.
 *
 * @param isWhole whether only whole numbers are asked for, so that a mark in `1.000` stands for a thousand
 * @returns null if the number could be a thousand times as high, or is no number with `.` and `,` only
 */
export function readNumber(text: string, marks: NumberMarks, isWhole = false): number | null {
  const [, sign, digits = ''] = /^\s*([-−]?)(.*)$/.exec(text) ?? []
  const number = readDigits(digits, marks, isWhole)
  return number === null || sign === '' ? number : -number
}

function readDigits(text: string, { decimal, group }: NumberMarks, isWhole: boolean): number | null {
  // Spaces and apostrophes only stand between groups.
  const typed = text.replaceAll(/[\s'’]/g, '')
  const mark = grouped.exec(typed)?.[1]
  if (mark !== undefined) {
    const other = mark === '.' ? ',' : '.'
    const isGroup = isWhole || mark === group || typed.split(mark).length > 2 || typed.includes(other)
    if (isGroup) return Number(typed.replaceAll(mark, '').replace(other, '.'))
    if (mark !== decimal) return null
  }
  const [, whole = '', , part = ''] = plain.exec(typed) ?? []
  return whole === '' && part === '' ? null : Number(`${whole}.${part}`)
}
