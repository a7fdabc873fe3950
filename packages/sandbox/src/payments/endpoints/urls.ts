import { invalidRequest } from '../errors.ts'

/** @throws StripeApiError 400 `url_invalid` for anything but an absolute address of the web */
export function checkUrl(url: string, param: string): void {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw invalidRequest('Not a valid URL', { code: 'url_invalid', param })
  }
}
