import { call, type InputArguments } from '../../api/call.ts'

/** Opens a page of the payment provider. @throws ApiError */
export async function openPaymentPage<Name extends 'openPortal' | 'openCheckout'>(
  name: Name,
  ...input: InputArguments<Name>
): Promise<void> {
  const { url } = await call(name, ...input)
  window.location.assign(url)
}
