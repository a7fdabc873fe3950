import { invalidRequest } from '../errors.ts'
import type { WireCustomer } from '../wire.ts'

type Matches = (customer: WireCustomer) => boolean

const clause =
  /^(email|name|phone|metadata\[(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')\])\s*([:~])\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')\s*/

/**
 * Parses a query of Stripe's search language for customers: clauses such as `metadata['user_id']:'u1'` or
 * `email~'example'`, all joined by `AND` or all by `OR`. Unlike at Stripe, new customers are found at once.
 *
 * @throws StripeApiError 400
 */
export function readSearch(query: string): Matches {
  const clauses: Matches[] = []
  const operators = new Set<string>()
  let rest = query.trim()
  for (;;) {
    const found = clause.exec(rest)
    if (found === null) throw invalidRequest(`Could not parse the search query near: ${rest}`, { param: 'query' })
    clauses.push(readClause(found))
    rest = rest.slice(found[0].length)
    if (rest === '') break
    const [operator = ''] = /^(AND|OR)\s+/.exec(rest) ?? []
    operators.add(operator.trim() || 'AND')
    rest = rest.slice(operator.length)
  }
  if (operators.size > 1) throw invalidRequest('A search query cannot use both AND and OR.', { param: 'query' })
  return operators.has('OR')
    ? (customer) => clauses.some((matches) => matches(customer))
    : (customer) => clauses.every((matches) => matches(customer))
}

function readClause([
  ,
  field = '',
  doubleKey,
  singleKey,
  operator,
  doubleValue,
  singleValue
]: RegExpExecArray): Matches {
  const key = unquote(doubleKey ?? singleKey ?? '')
  const wanted = unquote(doubleValue ?? singleValue ?? '')
  const readField = ({ email, name, phone, metadata }: WireCustomer) =>
    field === 'email' ? email : field === 'name' ? name : field === 'phone' ? phone : (metadata[key] ?? null)
  return operator === ':'
    ? (customer) => readField(customer) === wanted
    : (customer) => readField(customer)?.toLowerCase().includes(wanted.toLowerCase()) ?? false
}

function unquote(text: string): string {
  return text.replace(/\\(.)/g, '$1')
}
