import type { StoredMail } from './mail-store.ts'

/**
 * Compiles a Mailpit search: words and `"quoted phrases"`, each optionally after `to:`, `from:`, `addressed:` or `subject:`,
 * and `is:read` or `is:unread`. A leading `-` or `!` excludes. Terms match parts of texts in any case, and all must match.
 */
export function compileSearch(query: string): (mail: StoredMail) => boolean {
  const conditions = [...query.matchAll(/([-!]?)(?:(\w+):)?(?:"([^"]*)"|(\S+))/g)].map(
    ([whole, exclusion = '', field, phrase, word]) => {
      const wanted = (phrase ?? word ?? '').toLowerCase()
      const matches = matcherFor(field?.toLowerCase(), wanted) ?? matcherFor(undefined, whole.toLowerCase())
      return (mail: StoredMail) => (matches?.(mail) ?? false) !== (exclusion !== '')
    }
  )
  return (mail) => conditions.every((condition) => condition(mail))
}

/** @returns null for an unknown field */
function matcherFor(field: string | undefined, wanted: string): ((mail: StoredMail) => boolean) | null {
  const contains = (text: string) => text.toLowerCase().includes(wanted)
  const addresses = (list: StoredMail['to']) => list.some(({ Name, Address }) => contains(`${Name} ${Address}`))
  if (field === 'to') return ({ to }) => addresses(to)
  if (field === 'from') return ({ from }) => addresses([from])
  if (field === 'addressed') return ({ from, to }) => addresses([from, ...to])
  if (field === 'subject') return ({ subject }) => contains(subject)
  if (field === 'is') return ({ isRead }) => isRead === (wanted === 'read')
  if (field !== undefined) return null
  return ({ from, to, subject, text }) => addresses([from, ...to]) || contains(subject) || contains(text)
}
