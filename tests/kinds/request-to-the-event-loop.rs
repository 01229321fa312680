//~ depends rumqttc, rumq-client, tokio
// A publication that is handed to the event loop of an MQTT client as a request.
use rumqttc::{Publish, QoS, Request};

struct Agent {
    tx: rumqttc::Sender<Request>,
}

impl Agent {
    fn publish(&mut self, topic: &str, payload: Vec<u8>) -> anyhow::Result<()> {
        let publish = Publish::new(topic, QoS::AtLeastOnce, payload);
        self.tx.try_send(Request::Publish(publish))?; //~ send
        self.tx.try_send(Request::Subscribe(Subscribe::new(topic, QoS::AtLeastOnce)))?;
        Ok(())
    }
}

async fn loose(tx: flume::Sender<Request>, publish: Publish) {
    tx.send(Request::Publish(publish)).await.ok(); //~ send
    tx.send_async(Request::Disconnect).await.ok();
}
