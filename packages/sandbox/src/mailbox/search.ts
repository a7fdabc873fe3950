import type { StoredMail } from './mail-store.ts'

/**
 * Compiles a search of Mailpit: words and `"quoted phrases"`, each alone or behind `to:`, `from:`, `addressed:`,
 * `subject:` or `is:read` / `is:unread`; `-` or `!` in front of one excludes. Everything matches as a part, in any case,
 * and all have to match.
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

/** @returns null for a field that there is not */
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
