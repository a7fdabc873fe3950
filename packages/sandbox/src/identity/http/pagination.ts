import type { FastifyRequest } from 'fastify'
import { validationFailed } from '../errors.ts'

const defaultSize = 50

export interface Page {
  /** Starts at 1. */
  number: number
  size: number
}

/** @throws GoTrueError 400 `validation_failed` */
export function readPage(request: FastifyRequest): Page {
  const { page, per_page: size } = request.query as Record<string, unknown>
  return { number: readNumber(page, 1), size: readNumber(size, defaultSize) }
}

/** Returns `X-Total-Count`, and `Link` with the next and the last page. */
export function pageHeaders(request: FastifyRequest, { number, size }: Page, total: number): Record<string, string> {
  const last = Math.ceil(total / size)
  const query = request.query as Record<string, string>
  const path = request.url.split('?')[0]?.replace(/^\/auth\/v1/, '') ?? ''
  const link = (page: number, rel: string) => {
    // Sorted as in Go, because the client takes the digit after the first "=" as the page.
    const parameters = new URLSearchParams(Object.entries({ ...query, page: String(page) }).sort())
    return `<${path}?${parameters}>; rel="${rel}"`
  }
  const links = last > number ? [link(number + 1, 'next'), link(last, 'last')] : [link(last, 'last')]
  return { link: links.join(', '), 'x-total-count': String(total) }
}

function readNumber(value: unknown, fallback: number): number {
  if (value === undefined || value === '') return fallback
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : 0
  if (!Number.isSafeInteger(number) || number < 1) {
    throw validationFailed(`Bad Pagination Parameters: parsing ${JSON.stringify(value)}: invalid syntax`)
  }
  return number
}
