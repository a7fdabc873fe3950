/** A name longer than this could look like more of the mail's text. */
const maxNameLength = 60

/**
 * Who invites, in a mail: the name with the address, as on the page of the invitation. Anybody can choose any name, so the
 * address is always there.
 */
export function describeInviter({ name, email }: { readonly name: string; readonly email: string }): string {
  const characters = [...name.replace(/[\p{C}\s]+/gu, ' ').trim()]
  if (characters.length === 0) return email
  const isLong = characters.length > maxNameLength
  return `${isLong ? `${characters.slice(0, maxNameLength).join('').trim()}…` : characters.join('')} (${email})`
}
