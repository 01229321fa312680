// Generated REST clients (`progenitor::generate_api!`, openapi-generator crates). Operation names: verb prefix rule + UNKNOWN when no prefix fits
progenitor::generate_api!("openapi.json");
async fn f(c: &Client) {
    let _ = c.create_invoice(&types::NewInvoice::default()).await; //~ SEND
    let _ = c.list_invoices().await; //~ READ
}
