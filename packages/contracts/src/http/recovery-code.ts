/** 16 characters. People type them in groups or not, and in either case. */
export const typedRecoveryCode = '([A-Za-z2-9][ -]?){15}[A-Za-z2-9]'
const typed = new RegExp(`^${typedRecoveryCode}$`)

/** A recovery code as it was shown, such as `abcd-efgh-jkmn-pqrs`, from what somebody typed. Null for anything else. */
export function toRecoveryCode(text: string): string | null {
  if (!typed.test(text)) return null
  return text
    .toLowerCase()
    .replaceAll(/[ -]/g, '')
    .replace(/.{4}(?=.)/g, '$&-')
}
