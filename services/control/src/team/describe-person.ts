import { cutText } from '@tollgate/service/text.ts'
import { plainName } from '../mail/mail-content.ts'

/** A name longer than this could look like more of the mail's text. */
const maxNameLength = 60

/**
 * A person in a mail: the name with the address, as on the page of an invitation. Anybody can choose any name, so the address
 * is always there.
 */
export function describePerson({ name, email }: { readonly name: string; readonly email: string }): string {
  const plain = plainName(name)
  if (plain === '') return email
  const shown = cutText(plain, { characters: maxNameLength })
  return `${shown === plain ? plain : `${shown.trim()}…`} (${email})`
}
