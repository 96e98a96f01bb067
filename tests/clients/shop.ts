// A shop in TypeScript on the types of openapi-typescript, made with its default options. ORDER is the README's.
import createClient from "openapi-fetch";
import type { paths, webhooks } from "./api";

const api = createClient<paths>({ baseUrl: "https://sandbox.gateway.test", headers: { "x-api-key": "onp_sandbox_x" } });
const header = { "idempotency-key": "0b8f6d2e-6c1f-4a57-9d0e-3f6f3d0c9b11" };

export async function pay(): Promise<string | undefined> {
  const { data, error } = await api.POST("/api/v2/payments", { params: { header }, body: ORDER });
  if (error) {
    throw new Error(`${error.error.code}, again after ${error.error.retryAfter ?? "nothing"}`);
  }
  return data.data.pixCopyPaste;
}

export async function paidOrders(): Promise<number[]> {
  const { data } = await api.GET("/api/v2/payments", { params: { query: { status: "PAID" } } });
  return data ? data.data.map((payment) => payment.netAmount) : [];
}

export async function giveBack(paymentId: string, refundId: string): Promise<void> {
  const everything = { header, path: { paymentId } };
  await api.POST("/api/v2/payments/{paymentId}/refunds", { params: everything });
  await api.POST("/api/v2/payments/{paymentId}/refunds", { params: everything, body: { amount: 10 } });
  await api.POST("/api/v2/refunds/{refundId}/responses", {
    params: { header, path: { refundId } },
    body: { answer: "ACCEPT" },
  });
}

type Paid = webhooks["payment.paid"]["post"]["requestBody"]["content"]["application/json"];

export function release(event: Paid): string | null {
  return event.data.paidAt && event.data.reference;
}
