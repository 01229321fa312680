use chrono::NaiveDate;

impl Parts {
    fn date(&mut self, value: NaiveDate) {
        self.push(&value.to_string());
    }
}
