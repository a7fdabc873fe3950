/** The gateway's public origin. Control writes it into the page. */
export function gatewayUrl(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="gateway-url"]')?.content ?? ''
}
