import { invalidRequest } from '../errors.ts'

/** @throws StripeApiError 400 `url_invalid` unless it is an absolute http(s) URL */
export function checkUrl(url: string, param: string): void {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw invalidRequest('Not a valid URL', { code: 'url_invalid', param })
  }
}
