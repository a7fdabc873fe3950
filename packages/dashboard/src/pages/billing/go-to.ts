import { call, type InputArguments } from '../../api/call.ts'

/** Leads the browser to a page of the payment provider. @throws ApiError */
export async function goTo<Name extends 'openPortal' | 'openCheckout'>(
  name: Name,
  ...input: InputArguments<Name>
): Promise<void> {
  const { url } = await call(name, ...input)
  window.location.assign(url)
}
