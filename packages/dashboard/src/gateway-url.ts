/** The gateway's public origin, which control writes into the page. */
export function gatewayUrl(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="gateway-url"]')?.content ?? ''
}
